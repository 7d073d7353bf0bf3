"""Commands of the site: `migrate`, `load_sample`, `index_articles`, `runserver`."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_settings")
    execute_from_command_line(sys.argv)
