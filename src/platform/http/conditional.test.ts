import { expect, test } from '@jest/globals';
import { namesTag, preconditionOf, sentBody } from './bodies.ts';

const entityTagOf = (body: unknown) => sentBody(body).tag;

const body = (more: object = {}, timestamp = '2026-11-22T10:00:00.000Z') => ({
  status: 'success',
  data: { id: 'a', serverTime: timestamp, metadata: { timestamp: 'of the caller' }, ...more },
  metadata: { timestamp, version: 'v1.0.0' },
});

test('a tag depends on the resource and not on when it is read', () => {
  const tag = entityTagOf(body());
  expect(tag).toMatch(/^"[\w-]{27}"$/);
  expect(entityTagOf(body({}, '2027-01-01T00:00:00.000Z'))).toBe(tag);
  expect(entityTagOf(body({ id: 'b' }))).not.toBe(tag);
  expect(entityTagOf(body({ metadata: { timestamp: 'another' } }))).not.toBe(tag);
  expect(entityTagOf(undefined)).toMatch(/^"/);
});

test('a header names a tag in a list, as a weak one, or as any', () => {
  for (const header of ['"a"', '"b", "a"', 'W/"a"', '*'])
    expect([header, namesTag(header, '"a"')]).toEqual([header, true]);
  for (const header of ['"b"', 'a', '', '"ab"']) expect([header, namesTag(header, '"a"')]).toEqual([header, false]);
});

test('a change is refused when the resource is not as it was read', async () => {
  const read = () => Promise.resolve(body());
  await expect(preconditionOf(undefined).requireUnchanged(read)).resolves.toBeUndefined();
  await expect(preconditionOf(entityTagOf(body())).requireUnchanged(read)).resolves.toBeUndefined();
  await expect(preconditionOf('"old"').requireUnchanged(read)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
});
