#!/usr/bin/env python3
"""`ncleaner clean -o DIRECTORY` on a Spark cluster; --help has the options, `ncleaner.spark` how it works.

spark-submit --master spark://HOST:7077 scripts/spark_clean.py s3://bucket/crawl/ -o s3://bucket/clean/
"""

from __future__ import annotations

from ncleaner.spark.__main__ import main

if __name__ == "__main__":
    main()
