import { expect, test } from '@jest/globals';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { runCommand } from '../../src/operations/commands/commands.ts';
import { sequenceBatch } from '../../src/events/sequencer.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { recordAudit } from '../../src/access/queries/audit-log.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { until } from '../stack/until.ts';

interface Entry {
  readonly action: string;
  readonly seq: string | null;
  readonly timestamp: string;
}
interface Listed {
  readonly data: { readonly entries: readonly Entry[] };
  readonly metadata: { readonly pagination: { readonly total: number; readonly next: string | null } };
}
interface Verified {
  readonly data: {
    readonly intact: boolean;
    readonly entries: number;
    readonly end: unknown;
    readonly next: string | null;
  };
}

const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });

/** Removes what the start of the service left. */
async function emptyLog(): Promise<ApiService> {
  const service = await apiService();
  await service.sql.run`delete from audit_log`;
  return service;
}

/** Records actions of three actors, each in a millisecond of its own, and waits until they are chained. */
async function recordActions({ db, sql }: ApiService, count: number): Promise<void> {
  let time = wallClock.now();
  const clock = { now: () => (time = instant(time + 1)) };
  const unitOfWork = createUnitOfWork(db, productionClock(clock), ids);
  for (let number = 0; number < count; number += 1) {
    await unitOfWork((context) =>
      recordAudit(context, {
        action: number % 2 === 0 ? 'EVEN' : 'ODD',
        actor: { id: `actor${number % 3}`, type: 'SYSTEM' },
        resource: { type: 'thing', id: String(number) },
        metadata: { number },
      }),
    );
  }
  await until(
    async () => {
      await sequenceBatch(db);
      return (await sql.run`select 1 from audit_log where seq is null`).length === 0;
    },
    { what: 'every entry to be chained' },
  );
}

test('the audit log is read by actor, resource, action and time, page by page', async () => {
  await using service = await emptyLog();
  await recordActions(service, 12);
  const list = async (query: string) => (await service.api.get<Listed>(`/audit-log?sort=timestamp:asc&${query}`)).body;
  const count = async (query: string) => (await list(query)).metadata.pagination.total;

  expect(await list('limit=1')).toMatchObject({
    data: { entries: [{ action: 'EVEN', actor: { id: 'actor0', type: 'SYSTEM' }, metadata: { number: 0 }, seq: '1' }] },
    metadata: { pagination: { total: 12 } },
  });
  expect([await count('actor=actor1'), await count('action=ODD'), await count('actor=actor1&action=ODD')]).toEqual([
    4, 6, 2,
  ]);
  expect([await count('resourceType=thing&resourceId=5'), await count('resourceType=vault')]).toEqual([1, 0]);
  const first = await list('limit=5');
  const second = await list(`limit=5&after=${first.metadata.pagination.next ?? ''}`);
  expect([...first.data.entries, ...second.data.entries].map(({ seq }) => Number(seq))).toEqual(
    Array.from({ length: 10 }, (_, index) => index + 1),
  );
  const middle = first.data.entries[3]?.timestamp ?? '';
  expect((await count(`from=${middle}`)) + (await count(`to=${middle}`))).toBe(12);
  expect(await service.api.get('/audit-log?from=yesterday')).toMatchObject({
    status: 400,
    body: { error: { details: { errors: [{ field: 'from' }] } } },
  });
});

test('the chain is verified in parts, and a changed entry is found', async () => {
  await using service = await emptyLog();
  await recordActions(service, 12);
  const verify = async (query = '') => (await service.api.get<Verified>(`/audit-log/verification${query}`)).body.data;
  const ops = () =>
    runCommand(
      {
        db: service.db,
        unitOfWork: createUnitOfWork(service.db, productionClock(wallClock), ids),
        ledger: createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 10_000 }),
      },
      ['audit', 'verify'],
    );

  const whole = await verify();
  expect(whole).toMatchObject({ intact: true, entries: 12, end: { seq: '12' }, next: null, broken: null });
  expect(await verify('?limit=5')).toMatchObject({ intact: true, entries: 5, next: '5' });
  expect(await verify('?after=5&limit=50')).toEqual({ ...whole, entries: 7 });
  expect(await verify('?after=12')).toEqual({ ...whole, entries: 0 });
  expect(await ops()).toMatchObject({ ok: true, output: expect.stringContaining('12 entries are intact') });

  await service.sql.run`update audit_log set actor_id = 'somebody else' where seq = 8`;
  const broken = { intact: false, end: null, next: null, broken: { seq: '8', reason: 'entry_changed' } };
  expect(await verify('?after=5')).toMatchObject(broken);
  expect(await verify()).toMatchObject(broken);
  expect(await verify('?limit=7')).toMatchObject({ intact: true });
  expect(await ops()).toEqual({ ok: false, output: 'Audit log entry 8: entry_changed.' });
  await service.sql.run`delete from audit_log where seq = 3`;
  expect(await verify('?after=3')).toMatchObject({ broken: { seq: '3', reason: 'entry_missing' } });
});

test('a chain that was rewritten or cut off, with matching hashes, is not as it was anchored', async () => {
  await using service = await emptyLog();
  const { db, sql } = service;
  await recordActions(service, 12);
  await sql.run`insert into audit_anchors select seq, hash, gen_random_uuid() from audit_log where seq in (4, 9)`;
  const verify = async (query = '') => (await service.api.get<Verified>(`/audit-log/verification${query}`)).body.data;
  expect(await verify()).toMatchObject({
    intact: true,
    anchored: { seq: '9', proof: expect.stringMatching(/proof$/) },
  });
  expect(await verify('?limit=8')).toMatchObject({ intact: true, anchored: { seq: '4' } });
  expect(await verify('?after=9')).toMatchObject({ intact: true, anchored: null });

  await sql.run`delete from audit_log where seq > 8`;
  expect(await verify()).toMatchObject({ intact: false, broken: { seq: '9', reason: 'entry_missing' } });

  await sql.run`update audit_log set actor_id = 'nobody' where seq = 6`;
  await sql.run`update audit_log set seq = null, previous_hash = null, hash = null`;
  await sequenceBatch(db);
  await recordActions(service, 4);
  expect(await verify()).toMatchObject({ intact: false, broken: { seq: '9', reason: 'anchor_differs' } });
  expect(await verify('?limit=8')).toMatchObject({ intact: true, anchored: { seq: '4' } });
});
