import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';
import { expect, test } from '@jest/globals';
import { eventTypes } from '../queries/event-types.ts';
import { asyncApiDocument, socketSample } from './document.ts';
import { eventsPage, proseHtml } from './routes.ts';

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
      'connect',
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

test('who connects is said in a message, and in no query', () => {
  const { channels, components, operations } = asyncApiDocument('1.0.0');
  const { connect } = components.messages as Record<string, { payload: { properties?: object } }>;
  expect(operations).toMatchObject({ connect: { action: 'receive' } });
  expect(Object.keys(connect?.payload.properties ?? {})).toEqual(['apiKey', 'token']);
  const { query, headers } = channels.socket.bindings.ws;
  expect(Object.keys(query.properties)).toEqual(['EIO', 'transport']);
  expect(Object.keys(headers.properties)).toEqual(['X-API-Key', 'Authorization']);
});

test('the page shows every message and every type of event, with its fields', () => {
  const page = eventsPage('1.0.0');
  for (const id of [...eventTypes, 'connect', 'subscribe', 'unsubscribe', 'events', 'position', 'closed'])
    expect(page).toContain(`id="${id}"`);
  expect(page).toContain('amountBaseUnits');
  expect(page).not.toMatch(/undefined|\[object/);
});

test('the page shows code and lists as such, and folds the codes of errors', () => {
  expect(proseHtml('By `a<b>`:\n- `A`: one\n- two')).toBe(
    'By <code>a&lt;b&gt;</code>:<ul><li><code>A</code>: one</li><li>two</li></ul>',
  );
  const page = eventsPage('1.0.0').replace(/<pre>.*<\/pre>/s, '');
  expect(page).not.toMatch(/`|\n- /);
  expect(page).toContain('<li><code>LOCKED</code>: settled');
  expect(page).not.toContain('(DRAFT, ACTIVE, LOCKED, TERMINATED)');
  expect(page).toMatch(/<details><summary>\d+ values<\/summary>INVALID_REQUEST, /);
});

test('the page has the client of docs/guides/events.md', () => {
  expect(eventsPage('1.0.0')).toContain("<pre><code>import { io } from 'socket.io-client';");
  expect(readFileSync('docs/guides/events.md', 'utf8')).toContain(`\`\`\`js\n${socketSample}\`\`\``);
});
