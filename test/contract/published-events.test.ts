import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { eventsFolder, type PublishedEvent } from '../stack/published-events.ts';
import { refuseUnpublishedEvents } from '../stack/refuse-unpublished-events.ts';

/** What the check at the end of a run says of its events. */
async function checked(isWhole: boolean, ...events: readonly PublishedEvent[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'events-'));
  try {
    await mkdir(join(folder, eventsFolder));
    for (const [number, event] of events.entries())
      await writeFile(join(folder, eventsFolder, `${number}.json`), JSON.stringify([event]));
    return await refuseUnpublishedEvents(folder, { isWhole }).then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a run fails whose events are not as published, and one of all tests in which a type of event never happened', async () => {
  const held = { type: 'VAULT_HELD', data: { reason: 'stale_price' } };
  expect(await checked(false, held)).toBe('nothing');
  expect(await checked(false, held, { type: 'VAULT_HELD', data: {} })).toMatch(/VAULT_HELD reason: /);
  expect(await checked(false, { type: 'VAULT_HELD', data: null })).toMatch(/VAULT_HELD : /);
  expect(await checked(false, { ...held, data: { ...held.data, more: 1 } })).toMatch(/VAULT_HELD more: not published/);
  expect(await checked(true, held)).toMatch(/no test lets the service record: VAULT_CREATED, /);
  expect(await checked(true, held)).not.toMatch(/VAULT_HELD/);
});
