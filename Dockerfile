# One image for the server and the workers. All packages come from the lock files, checked by hash.
# The digest is that of Python 3.13.15 on Debian 13; docs/deployment.md says how to update it.
FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS build
WORKDIR /srv/convive
COPY requirements-uv.lock requirements.lock ./
RUN python -m venv .venv \
 && .venv/bin/pip install --no-cache-dir --require-hashes -r requirements-uv.lock \
 && .venv/bin/uv pip install --no-cache --python .venv/bin/python --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE alembic.ini ./
COPY alembic alembic
COPY app app
COPY static static
COPY templates templates
RUN .venv/bin/uv pip install --no-cache --python .venv/bin/python --no-deps --no-build-isolation --editable . \
 && .venv/bin/python -m compileall -q app \
 && .venv/bin/python -c "from app.web.preload import load_templates; load_templates()"

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
RUN useradd --create-home --uid 10001 convive && install -d -m 700 -o convive -g convive /data
COPY --from=build /srv/convive /srv/convive
ENV PATH=/srv/convive/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CONVIVE_DATA_DIR=/data \
    NUMBA_CACHE_DIR=/home/convive/numba
WORKDIR /srv/convive
USER convive
# Compile the solver into the image, and solve once: the build fails if solving does.
RUN convive prepare && printf 'a,b,1\nc,d,1\n' | convive solve - --tables 2,2
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=5 \
  CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f\"http://127.0.0.1:{os.environ.get('CONVIVE_PORT', '8000')}/readyz\", timeout=4)"]
CMD ["convive", "serve", "--host", "0.0.0.0"]
