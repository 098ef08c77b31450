#!/bin/sh
# Certificates by which the parts of a deployment know each other, for ten years; does nothing when there are some.
# The key of the authority is not kept, so nobody can issue another one: remove the volumes to renew all of them.
set -eu

folder=${CERTIFICATES:-/certificates}
parts='postgres temporal client'
[ -e "$folder/client/tls.key" ] && exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 077
new_key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
# shellcheck disable=SC2086
openssl req -x509 $new_key -days 3650 -subj '/CN=vault-tokenization' -keyout "$work/ca.key" -out "$work/ca.crt"

for part in $parts; do
  # shellcheck disable=SC2086
  openssl req $new_key -subj "/CN=$part" -keyout "$work/$part.key" -out "$work/$part.csr"
  # `localhost` is for clients beside it.
  printf 'basicConstraints=critical,CA:FALSE\nsubjectAltName=DNS:%s,DNS:localhost\n' "$part" >"$work/extensions"
  openssl x509 -req -days 3650 -in "$work/$part.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -CAcreateserial \
    -extfile "$work/extensions" -out "$work/$part.crt"
done

for part in $parts; do
  mkdir -p "$folder/$part"
  # Each part mounts its own folder alone, under a user that its image chooses.
  chmod 755 "$folder/$part"
  install -m 644 "$work/ca.crt" "$folder/$part/ca.crt"
  install -m 644 "$work/$part.crt" "$folder/$part/tls.crt"
  if [ "$part" = postgres ]; then
    # Postgres refuses a key that others may read. This is its user in the official image.
    owner=$([ "$(id -u)" -ne 0 ] || echo '--owner=999 --group=999')
    # shellcheck disable=SC2086
    install -m 600 $owner "$work/$part.key" "$folder/$part/tls.key"
  else
    install -m 644 "$work/$part.key" "$folder/$part/tls.key"
  fi
done
