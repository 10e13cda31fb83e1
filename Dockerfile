# Gainful from this source, with all that its commands use:
#     docker build -t gainful . && docker run --rm -v "$PWD:/work" gainful evaluate qrels.txt bm25.run
FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /build && /build/bin/pip install --no-cache-dir 'maturin>=1.9,<2'
COPY . /source
RUN /build/bin/maturin build --manifest-path /source/kernel/python/Cargo.toml --profile dist --locked --out /wheels

FROM python:3.13-slim-bookworm
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/*.whl)[all]"
RUN useradd --create-home gainful
USER gainful
WORKDIR /work
ENTRYPOINT ["gainful"]
CMD ["--help"]
