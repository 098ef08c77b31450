import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const wasm = fileURLToPath(new URL('./wasm.ts', import.meta.url));

test('a trap of the serialization library ends the process, also where the error is caught', () => {
  const program = `
    import { toErrors } from ${JSON.stringify(wasm)};
    const unreachable = Buffer.from('0061736d0100000001040160000003020100070801047472617000000a05010300000b', 'hex');
    const { instance } = await WebAssembly.instantiate(unreachable);
    try { toErrors(() => instance.exports.trap()); } catch {}
    setTimeout(() => process.stdout.write('still running'), 60_000);
  `;
  const ended = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    encoding: 'utf8',
  });
  expect(ended.stderr).toContain('the serialization library trapped, so this process ends');
  expect({ status: ended.status, stdout: ended.stdout }).toEqual({ status: 1, stdout: '' });
});
