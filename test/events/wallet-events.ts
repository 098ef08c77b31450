import { expect } from '@jest/globals';
import type { EventMessage } from '../../src/events/publish.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

/** Waits until a subscriber of the wallet would have got events of these types, in this order, and expects no other among those meant. */
export async function expectWalletEvents(
  { api }: Pick<TestStack, 'api'>,
  wallet: string,
  isMeant: (event: EventMessage) => boolean,
  types: readonly string[],
): Promise<void> {
  const read = async () => {
    const query = new URLSearchParams({ wallet, after: '0' });
    const { body } = await api.get<{ data: { events: EventMessage[] } }>(`/events?${query.toString()}`);
    return body.data.events.filter(isMeant).map(({ type }) => type);
  };
  await until(async () => (await read()).length >= types.length, { what: `the events of ${wallet}` });
  expect(await read()).toEqual(types);
}
