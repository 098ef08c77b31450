import { execFile } from 'node:child_process';
import { chmod, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The certificates that the compose file makes, in a folder that is removed at the end. They are also those of `localhost`. */
export async function madeCertificates() {
  const folder = await mkdtempDisposable(join(tmpdir(), 'certificates-'));
  // Postgres runs as another user.
  await chmod(folder.path, 0o755);
  await promisify(execFile)('/bin/sh', ['docker/certificates.sh'], {
    env: { ...process.env, CERTIFICATES: folder.path },
  });
  const of = (part: 'postgres' | 'temporal' | 'client') => ({
    authority: join(folder.path, part, 'ca.crt'),
    certificate: join(folder.path, part, 'tls.crt'),
    key: join(folder.path, part, 'tls.key'),
  });
  return { folder: folder.path, of, [Symbol.asyncDispose]: () => folder.remove() };
}
