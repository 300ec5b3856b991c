"""Settings of the documentation site: `scripts/docs.sh` builds it."""

from importlib.metadata import version as version_of

project = "ncleaner"
copyright = "the ncleaner authors"
version = release = version_of("ncleaner")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
html_theme = "furo"
html_title = f"ncleaner {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
# nothing is fetched from outside
html_theme_options = {"sidebar_hide_name": False}
exclude_patterns = ["_build"]

# "--option" stays as it is typed
smartquotes = False
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = [
    ("Columns of runs", "params_style"),
    ("Columns of segments", "params_style"),
    ("Columns of elements", "params_style"),
    ("Columns of blocks", "params_style"),
]
# docstrings write names of code as Markdown does
default_role = "code"
nitpicky = False


def setup(app):
    """The fields of a NamedTuple are told in its docstring; what Python says of each is noise."""

    def is_noise(app, what, name, obj, skip, options):
        return skip or str(obj.__doc__).startswith("Alias for field number")

    app.connect("autodoc-skip-member", is_noise)
