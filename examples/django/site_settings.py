"""Settings of the site; the last three are those of related documents."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent

# For one machine: your site has settings of its own.
SECRET_KEY = os.environ.get("SECRET_KEY", "of the example alone")
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "articles.views"
INSTALLED_APPS = ["articles"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "site.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
LOGGING = {
    "version": 1,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
}

ELASTICSEARCH_URL = os.environ.get("ELASTICSEARCH_URL", "http://localhost:9200")
ELASTICSEARCH_API_KEY = os.environ.get("ES_SIMHASH_API_KEY")
ARTICLES_INDEX = os.environ.get("ARTICLES_INDEX", "es-simhash-django")
