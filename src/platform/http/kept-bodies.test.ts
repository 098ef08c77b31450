import { expect, test } from '@jest/globals';
import { instant } from '../units/instant.ts';
import { createKeptBodies, type Validity } from './kept-bodies.ts';

const always: Validity = { changesWith: ['one'], until: null };
const now = instant(0);

function bodies() {
  const kept = createKeptBodies();
  const keep = (name: string, text = name, validity = always) => {
    kept.expect(name).fill({ text, tag: `"${name}"` }, validity);
  };
  return { ...kept, keep, textOf: (name: string) => kept.find(name)?.at(now).text };
}

test('a change ends what depends on it, and what is being read while it is heard', () => {
  const { keep, expect: begin, forget, textOf } = bodies();
  keep('of one');
  keep('of two', 'of two', { changesWith: ['two', 'prices'], until: null });
  keep('of all', 'of all', { changesWith: ['any vault'], until: null });
  const reading = begin('being read');
  forget(['two']);
  reading.fill({ text: 'old', tag: '' }, always);
  expect(['of one', 'of two', 'of all', 'being read'].map(textOf)).toEqual(['of one', undefined, undefined, undefined]);
  keep('of all', 'of all', { changesWith: ['any vault'], until: null });
  for (const changed of [[], ['blocks'], ['prices']]) forget(changed);
  expect(['of one', 'of all'].map(textOf)).toEqual(['of one', 'of all']);
});

test('the last read that began is kept, and a cancelled one is not', () => {
  const { expect: begin, textOf } = bodies();
  const [first, second] = [begin('a'), begin('a')];
  second.fill({ text: 'second', tag: '' }, always);
  first.fill({ text: 'first', tag: '' }, always);
  expect(textOf('a')).toBe('second');
  const third = begin('b');
  third.cancel();
  third.fill({ text: 'third', tag: '' }, always);
  expect(textOf('b')).toBeUndefined();
});

test('a body that time changes at once is not kept, and costs no other its place', () => {
  const { keep, textOf } = bodies();
  keep('a');
  const readAt = instant(1000);
  for (let number = 0; number < 60; number += 1)
    keep(`overdue ${number}`, 'x'.repeat(400_000), { ...always, readAt, until: readAt });
  expect([textOf('a'), textOf('overdue 59')]).toEqual(['a', undefined]);
});

test('only the time of reading is written anew', () => {
  const { keep, textOf } = bodies();
  const readAt = instant(86_400_000);
  const body = (at: string, other: string) => ({
    data: { serverTime: at, createdAt: other, name: `"serverTime":"${other}"` },
    metadata: { timestamp: at },
  });
  const [then, present] = ['1970-01-02T00:00:00.000Z', '1970-01-01T00:00:00.000Z'];
  keep('a', JSON.stringify(body(then, then)), { ...always, readAt });
  expect(JSON.parse(textOf('a') ?? '')).toEqual(body(present, then));
});

test('ages are counted anew from what they say, only in a body that has ages', () => {
  const { keep, textOf } = bodies();
  const body = (...ages: readonly number[]) => ({
    prices: ages.map((ageSeconds, number) => ({ asOf: `1969-12-31T23:59:5${number}.600Z`, ageSeconds })),
    timestamp: '1970-01-01T00:00:00.000Z',
  });
  const read = { ...body(0, 0), timestamp: '1969-12-31T23:59:50.700Z' };
  keep('a', JSON.stringify(read), { ...always, readAt: instant(-9_300), hasAges: true });
  expect(textOf('a')).toBe(JSON.stringify(body(9, 8)));
  keep('b', JSON.stringify(read), { ...always, readAt: instant(-9_300) });
  expect(textOf('b')).toBe(JSON.stringify(body(0, 0)));
});

test('memory is bounded: those that were not used for longest go, and one that is too long goes at once', () => {
  const { keep, textOf } = bodies();
  const long = 'x'.repeat(400_000);
  for (let number = 0; number < 30; number += 1) keep(String(number), long);
  textOf('0');
  for (let number = 30; number < 60; number += 1) {
    keep(String(number), long);
    textOf('0');
  }
  keep('too long', 'x'.repeat(600_000));
  expect([textOf('0'), textOf('59')]).toEqual([long, long]);
  expect([textOf('1'), textOf('too long')]).toEqual([undefined, undefined]);
});
