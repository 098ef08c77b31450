import { readFile } from 'node:fs/promises';

/**
 * Temporal's packages must all load one protobufjs 8: with several, or with a hoisted 7, the replay of recorded histories
 * fails with "type must be a Type".
 */
export async function checkProtobuf(): Promise<{ ok: boolean; output: string }> {
  const lock = JSON.parse(await readFile('node_modules/.package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const hoisted = lock.packages['node_modules/protobufjs']?.version ?? 'none';
  const nested = Object.keys(lock.packages).filter((path) =>
    /@temporalio\/[^/]+\/node_modules\/protobufjs$/.test(path),
  );
  const ok = hoisted.startsWith('8.') && nested.length === 0;
  return {
    ok,
    output: ok ? '' : `protobufjs at the top is ${hoisted}; copies of their own: ${nested.join(', ') || 'none'}`,
  };
}
