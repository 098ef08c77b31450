import type { Service } from './service.ts';
import { createWallet, type Wallet } from './wallets.ts';

/** The wallets of the demo. Ada and Grace contribute, Edsger and Barbara invest, Margaret buys. */
export type People = Readonly<Record<'ada' | 'grace' | 'edsger' | 'barbara' | 'margaret', Wallet>>;

/** Creates the five wallets, empty. */
export async function createPeople(service: Service): Promise<People> {
  const [first, grace, edsger, barbara, margaret] = await Promise.all(
    ['Ada', 'Grace', 'Edsger', 'Barbara', 'Margaret'].map((name) => createWallet(service, name)),
  );
  if (!first || !grace || !edsger || !barbara || !margaret) throw new Error('a wallet is missing');
  return { ada: first, grace, edsger, barbara, margaret };
}

/** Everyone with a share in the settlement. */
export function depositorsOf({ ada: first, grace, edsger, barbara }: People): Wallet[] {
  return [first, grace, edsger, barbara];
}
