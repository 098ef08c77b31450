import { expect, test } from '@jest/globals';
import { keyAddress } from '../../cardano/scripts/address.ts';
import { instant } from '../../platform/units/time.ts';
import { depositOwnerScript, stakeOwnerScript } from './owner-script.ts';

const keyHash = (digit: string) => digit.repeat(56);
const owner = (digit: string) => keyAddress(keyHash(digit), 0);
const settlesBy = instant(1_800_000_000_000);

test('a script that is remembered is shown to its own owner only, of its own vault, slot and network', () => {
  const deposits = ['1', '2'].flatMap((vault) =>
    ['3', '4'].flatMap((wallet) =>
      [100, 200].flatMap((settlesBySlot) =>
        ([0, 1] as const).map((networkId) => () => {
          const guard = { settlementKeyHash: keyHash(vault), settlesBySlot, settlesBy };
          return depositOwnerScript(guard, owner(wallet), networkId);
        }),
      ),
    ),
  );
  const stakes = ['1', '2'].flatMap((vault) =>
    ['3', '4'].flatMap((wallet) =>
      [100, 200].map((releaseSlot) => () => {
        const stake = { wallet: owner(wallet), releaseSlot, ownerAloneFrom: settlesBy };
        return stakeOwnerScript(keyHash(vault), stake, 0);
      }),
    ),
  );

  const all = [...deposits, ...stakes];
  const first = all.map((script) => script());
  expect(new Set(first.map(({ address }) => address)).size).toBe(all.length);
  expect(all.map((script) => script())).toEqual(first);
});
