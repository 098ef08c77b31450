import { z } from 'zod';
import { created, ok } from '../../../src/platform/http/route.ts';
import { route } from '../../../src/api-context.ts';
import { AddressText } from '../../../src/platform/http/fields.ts';
import { type Development, developerPermission } from '../development.ts';

const OneWallet = z.strictObject({ address: AddressText });
const Hex = (maxBytes: number) =>
  z
    .string()
    .max(2 * maxBytes)
    .regex(/^([0-9a-fA-F]{2})+$/, 'Must be hex, two digits per byte.');

const Wallet = z.object({ address: z.string(), stakeAddress: z.string() });
const ListedWallet = z.object({ address: z.string(), stakeAddress: z.string().nullable(), platform: z.boolean() });

export const createWallet = ({ wallets }: Development) =>
  route({
    method: 'post',
    path: '/wallets',
    operationId: 'devMakeWallet',
    summary: 'Create a simulated wallet',
    description:
      'Creates an empty wallet. Use `devFaucet` to fund it, and `devSignTransaction` and `devSignData` to sign with it.',
    success: 'The wallet',
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    responses: { 201: Wallet },
    errors: [],
    async handle() {
      const { address, stakeAddress } = await wallets.create();
      return created({ address, stakeAddress });
    },
  });

export const listWallets = ({ wallets }: Development) =>
  route({
    method: 'get',
    path: '/wallets',
    operationId: 'devListWallets',
    summary: 'List the simulated wallets',
    description: 'Includes the wallet of the platform, which signs by itself (`platform` is `true`).',
    success: 'The wallets',
    permission: developerPermission('READ'),
    responses: { 200: z.object({ wallets: z.array(ListedWallet) }) },
    errors: [],
    async handle() {
      return ok({ wallets: await wallets.list() });
    },
  });

export const signTransaction = ({ wallets }: Development) =>
  route({
    method: 'post',
    path: '/wallets/:address/sign-tx',
    operationId: 'devSignTransaction',
    summary: 'Sign a transaction',
    description:
      'Signs with a simulated wallet, as CIP-30 `signTx` does with `partialSign`. `tx` is the `unsignedTx` or ' +
      '`unsigned_tx` of a response. Send `witnessSet` to `addWitnesses`.',
    success: 'The signature',
    examples: { unsigned: { tx: '84a3' + '00'.repeat(32) } },
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    params: OneWallet,
    body: z.strictObject({ tx: Hex(16_384) }),
    responses: { 200: z.object({ witnessSet: z.string() }) },
    errors: ['WALLET_NOT_FOUND', 'INVALID_CBOR'],
    async handle({ params, body }) {
      const wallet = await wallets.byAddress(params.address);
      return ok({ witnessSet: wallet.signTransaction(body.tx) });
    },
  });

export const signData = ({ wallets }: Development) =>
  route({
    method: 'post',
    path: '/wallets/:address/sign-data',
    operationId: 'devSignData',
    summary: 'Sign a message',
    description:
      'Signs with a simulated wallet, as CIP-30 `signData` does. `payload` is the message in hex: `68656c6c6f` ' +
      'is "hello". For a login: the hex of `<nonce>:<timestamp>`. For a vote: the hex of its text.',
    success: 'The signature',
    examples: { hello: { payload: '68656c6c6f' } },
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    params: OneWallet,
    body: z.strictObject({ payload: Hex(16_384) }),
    responses: { 200: z.object({ signature: z.string(), key: z.string() }) },
    errors: ['WALLET_NOT_FOUND'],
    async handle({ params, body }) {
      const wallet = await wallets.byAddress(params.address);
      return ok(wallet.signData(body.payload));
    },
  });
