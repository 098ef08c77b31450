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
    .regex(/^([0-9a-fA-F]{2})+$/, 'Must be hex, two digits a byte');

const Wallet = z.object({ address: z.string(), stakeAddress: z.string() });
const ListedWallet = z.object({ address: z.string(), stakeAddress: z.string().nullable(), platform: z.boolean() });

export const createWallet = ({ wallets }: Development) =>
  route({
    method: 'post',
    path: '/wallets',
    operationId: 'devMakeWallet',
    summary: 'Create an empty simulated wallet',
    description: 'The faucet gives it ADA; it signs at `sign-tx` and `sign-data`.',
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
    summary: "List the simulated wallets and the platform's wallet",
    description: "`platform` is true for the platform's wallet, which signs by itself.",
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
    summary: 'Sign a transaction with a simulated wallet, as CIP-30 signTx does with partialSign',
    description:
      '`tx` is the CBOR in hex, the `unsignedTx` or `unsigned_tx` of a response; `witnessSet` is the body of `POST ' +
      '/api/v1/transactions/{hash}/witnesses`.',
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
    summary: 'Sign a message in hex with a simulated wallet, as CIP-30 signData does',
    description:
      '`payload` is the message in hex: `68656c6c6f` is "hello". For a login it is the hex of ' +
      '`<nonce>:<timestamp>`, for a vote the hex of its text.',
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
