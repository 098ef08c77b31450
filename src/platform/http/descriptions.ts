import { defaultDurationBounds, type DurationBound } from '../units/duration.ts';
import { defaultPhaseDurations } from '../../proposals/rules/phases.ts';

// Sentences of the OpenAPI document that several operations and schemas share.

const toSignText = (unsignedTx: string, expiresAt: string) =>
  `Returns a transaction to sign: the wallet signs \`${unsignedTx}\` (CIP-30 signTx, partial) and sends its witnesses to ` +
  `\`POST /api/v1/transactions/{hash}/witnesses\` before \`${expiresAt}\`.`;

export const unsignedTransactionText = toSignText('unsignedTx', 'expiresAt');

/** As `unsignedTransactionText`, with the field names of the specification. */
export const specUnsignedTransactionText = toSignText('unsigned_tx', 'expires_at');

const wallet = (field: string) =>
  `\`${field}\` defaults to the wallet of the session, which may name no other wallet. ${keyWalletText}`;

const keyWalletText = 'Without a session, a key with `wallet:UPDATE` may name any wallet.';

/** Describes the required field of the wallet that the operation acts for. */
export const requiredWalletText = (field: string) => `\`${field}\` must be the wallet of the session. ${keyWalletText}`;

/** Describes the optional field of the wallet that the operation acts for. */
export const optionalWalletText = (field: string) =>
  `${wallet(field)} Otherwise it defaults to the wallet of the platform, which signs its transactions itself.`;

/** As `optionalWalletText`, where the wallet of the platform pays for nothing. */
export const sessionWalletText = (field: string) =>
  `\`${field}\` defaults to the wallet of the session, which may name no other wallet. Without a session it is required, and the key needs \`wallet:UPDATE\`.`;

/** As `optionalWalletText`, where a deployment decides what the wallet of the platform does. */
export const depositorText = (field: string) =>
  `${optionalWalletText(field)} The wallet of the platform adds assets only where the deployment allows it.`;

export const platformSignedText =
  'The platform signs and submits the transaction; `GET /api/v1/transactions/{hash}` returns its status.';

/** What each threshold is a percentage of (design D22, D29). */
export const thresholdTexts = {
  creation: 'Percentage of the whole token supply that a wallet must have staked to create a proposal',
  start:
    'Percentage of the whole token supply whose stakes must endorse a draft before its vote opens, including the stakes of the ' +
    'proposer; 0 opens the vote at once',
  vote: 'Quorum: percentage of the tokens with voting power that must vote, for or against',
  execution: 'Percentage of the cast voting power that must approve; more must also approve than reject',
  cosigning:
    'Percentage of the whole token supply that a wallet must have staked to cosign an execution; if the vault has `cosigners`, only ' +
    'those may cosign',
};

/** What each percentage of a vault's investment settings means. */
export const investmentTexts = {
  reserve:
    'Minimum total investment, as a percentage of the asset value that is for sale to investors. If less is invested, ' +
    'the vault fails and every deposit is returned.',
  liquidity: 'Percentage of the fully diluted valuation that becomes liquidity, half in ADA and half in tokens',
  investors: 'Percentage of the tokens, after liquidity, that investors get; contributors get the rest',
};

/** Describes the time of the price that an asset is valued at. */
export const priceTimeText =
  'Time at which the source gave the price; for a fixed price, time at which the source gave the price of the contribution';

/** Describes the amounts of a settlement. */
export const settlementFigureTexts = {
  value: 'Value of all assets that count, in lovelace',
  invested: 'Sum of all investments in lovelace',
  fdv: "Fully diluted valuation: price of the whole token supply in lovelace, at the investors' price",
  reserveRequired: 'Lovelace that must be invested, from the values of the assets before `max_share` lowers them',
  lpLovelace: 'Lovelace of the liquidity share',
  lpFt: 'Base units of the liquidity share',
  contributorsLovelace: 'Lovelace that all contributors get',
};

const hours = (seconds: number) => `${seconds / 3600}h`;
const between = ({ min, max }: DurationBound) =>
  `${hours(min)} to ${hours(max)}, unless the deployment sets other limits`;
const defaults = defaultPhaseDurations(defaultDurationBounds);
const format = '`DD:HH:MM` (`03:00:00` is three days) or `72h`; ';

/** Durations of a vault whose request gives none. */
export const defaultDurationText = {
  voting: hours(defaults.voting),
  lock: hours(defaults.lock),
  execution: hours(defaults.execution),
};

/** Formats, limits and defaults of the durations of a request. */
export const durationTexts = {
  assetWindow: `${format}${between(defaultDurationBounds.assetWindow)}; default: 7 days, or until the investment window ends if that is earlier`,
  investmentWindow: `${format}${between(defaultDurationBounds.investmentWindow)}; it must not end before the asset window`,
  voting: `${format}${between(defaultDurationBounds.voting)}; ${hours(defaults.voting)} by default`,
  lock: `Time between the vote and its execution, in which the proposer or the admin may still cancel. ${format}${between(defaultDurationBounds.lock)}; ${hours(defaults.lock)} by default`,
  execution: `${format}${between(defaultDurationBounds.execution)}; ${hours(defaults.execution)} by default`,
};

export const tokenAddressText =
  'Policy id and asset name of the token, in hex. `null` until its mint is built at the settlement. A mint that does not land in ' +
  'time is built anew as another token, so the address is certain when the `mint` transaction is final';
