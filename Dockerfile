# a2aspec alone: one static program, and the certificates by which it trusts agents.
#
#   docker build -t a2aspec .
#   docker run --rm --network host --user "$(id -u)" -v "$PWD:/work" a2aspec check http://localhost:8080 --report html=report.html
#
# This image has musl, so that the program needs no library; docs/ci.md says more. The digest is that of the image's index, for all
# platforms. To move to another Rust, take the new one from `docker buildx imagetools inspect rust:VERSION-alpine`.
FROM rust:1.95.0-alpine@sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2 AS build
# Alpine serves the newest version of a package only: one that is named here would soon be gone.
# hadolint ignore=DL3018
RUN apk add --no-cache ca-certificates musl-dev
WORKDIR /source
COPY . .
# The folder of what is built is no part of the layer that is kept.
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/source/target \
    cargo install --path . --locked --root /built

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /built/bin/a2aspec /a2aspec
# Nobody: a report is written into a folder that the user of `docker run --user` may write.
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["/a2aspec"]
