import { secretVariables } from './secret-files.ts';

/** The environment of a child process: what programs need from the machine, without the secrets and settings of its parent. */
export function baseEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'USER', 'TMPDIR', 'TZ', 'LANG', 'SystemRoot', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

/** For tools with settings of their own, such as a package manager: the environment without the secrets of the service. */
export function withoutSecrets(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const secret = new Set<string>(secretVariables.flatMap((name) => [name, `${name}_FILE`]));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secret.has(name)));
}
