# Gainful from this source, with all that its commands use:
#     docker build -t gainful . && docker run --rm -v "$PWD:/work" gainful evaluate qrels.txt bm25.run
FROM rust:1-slim-bookworm AS build
# The packages of the image's own release of Debian are only fixed, never changed.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /build && /build/bin/pip install --no-cache-dir maturin==1.16.0
WORKDIR /source
COPY . .
RUN /build/bin/maturin build --profile dist --locked --out /wheels

FROM python:3.13-slim-bookworm
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/*.whl)[all]"
# Kubernetes accepts only a number as a user that is not root.
RUN useradd --create-home --uid 1000 gainful
USER 1000
WORKDIR /work
ENTRYPOINT ["gainful"]
CMD ["--help"]
