import { Parser } from '@asyncapi/parser';
import { expect, test } from '@jest/globals';
import { eventTypes } from '../store/event-types.ts';
import { asyncApiDocument } from './document.ts';
import { eventsPage } from './events-page.ts';

test('the AsyncAPI document is valid, and has a schema for each type of event', async () => {
  const { document, diagnostics } = await new Parser().parse(JSON.stringify(asyncApiDocument('1.0.0')));
  expect(diagnostics.filter(({ severity }) => String(severity) === '0')).toEqual([]);
  expect(
    document
      ?.operations()
      .all()
      .map((operation) => operation.id()),
  ).toEqual(
    expect.arrayContaining([
      'subscribe',
      'unsubscribe',
      'events',
      'position',
      'unsubscribed',
      'closed',
      'streamEvents',
    ]),
  );
  const text = JSON.stringify(document?.json());
  expect(eventTypes.filter((type) => !text.includes(`"const":"${type}"`))).toEqual([]);
});

test('the page shows every message and every type of event, with its fields', () => {
  const page = eventsPage('1.0.0');
  for (const id of [...eventTypes, 'subscribe', 'unsubscribe', 'events', 'position', 'closed'])
    expect(page).toContain(`id="${id}"`);
  expect(page).toContain('amountBaseUnits');
  expect(page).not.toMatch(/undefined|\[object/);
});
