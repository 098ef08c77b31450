import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { notesService } from './notes-service.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';

let database: TestDatabase;
let service: Awaited<ReturnType<typeof notesService>>;
let key: string;
beforeAll(async () => {
  database = await testDatabase();
  service = await notesService({ databaseUrl: database.url });
  key = await service.key(['ADMIN']);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

test('an unchanged resource is not sent again, whenever it is read; a changed one is', async () => {
  const added = await service.call('POST', '/api/v1/notes', { key, json: { text: 'first' } });
  const { id } = (await added.json()) as { id: string };
  const read = (headers: Record<string, string> = {}) => service.call('GET', `/api/v1/notes/${id}`, { key, headers });
  const first = await read();
  const tag = first.headers.get('etag') ?? '';
  expect(first.headers.get('cache-control')).toBe('private, no-store');

  for (const names of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const again = await read({ 'if-none-match': names });
    expect([names, again.status, await again.text()]).toEqual([names, 304, '']);
    expect(again.headers.get('etag')).toBe(tag);
    expect(again.headers.get('x-correlation-id')).not.toBeNull();
  }
  await sql`update notes set text = 'second' where id = ${id}`.execute(service.db);
  const changed = await read({ 'if-none-match': tag });
  expect([changed.status, await changed.json()]).toEqual([200, { id, text: 'second' }]);
  expect(changed.headers.get('etag')).not.toBe(tag);
});
