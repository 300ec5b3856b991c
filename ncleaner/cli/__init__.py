"""What people see: the command line, progress, tables, plots, pages."""
