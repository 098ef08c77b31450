import { defaultDurationBounds, type DurationBound } from '../../domain/units/duration.ts';
import { defaultPhaseDurations } from '../../domain/proposal/phases.ts';

// Sentences of the OpenAPI document that several operations and schemas share.

export const unsignedTransactionText =
  'Answers a transaction to be signed: the wallet signs `unsigned_tx` (CIP-30 signTx, partial) and hands that in at ' +
  '`POST /api/v1/transactions/{hash}/witnesses` before `expires_at`.';

const wallet = (field: string) =>
  `\`${field}\` is the wallet of the session, or any wallet for a key with permission wallet:UPDATE`;

/** Whose wallet an operation moves that has to be named in `field`. */
export const requiredWalletText = (field: string) => `${wallet(field)}.`;

/** Whose wallet an operation moves that may be named in `field`. */
export const optionalWalletText = (field: string) =>
  `${wallet(field)}; left out, it is the session's, and without a session the platform's own, which signs by itself.`;

export const platformSignedText =
  'The platform signs and sends; read how far it is at `GET /api/v1/transactions/{hash}`.';

/** What each threshold is a percentage of (design D22, D29). */
export const thresholdTexts = {
  creation: "Percent of the token's whole supply that a wallet must hold staked to propose",
  start:
    "Percent of the whole supply whose stakes must endorse a draft before its vote opens, the proposer's among them; 0 opens it at once",
  vote: 'Quorum: percent of the staked tokens that can vote which must have voted, either way',
  execution: 'Percent of the voted power that must approve, and more must approve than reject',
  cosigning:
    'Percent of the whole supply that a wallet must hold staked to cosign an execution; where the vault names `cosigners`, they alone may',
};

/** What each percentage of a vault's investment counts. */
export const investmentTexts = {
  reserve:
    "Percent of the investors' share of the assets' value that must be invested; with less the vault fails and everything goes back",
  liquidity: 'Percent of the fully diluted valuation that becomes liquidity, half in ADA and half in tokens',
  investors: 'Percent of the tokens, after liquidity, that investors get; contributors get the rest',
};

/** Of the price that something is valued by. */
export const priceTimeText =
  'When the source gave the price it counts by; of a price that was fixed since, when it gave the one at contribution';

/** What the figures of a settlement are. */
export const settlementFigureTexts = {
  value: 'Lovelace that all assets count for',
  invested: 'Lovelace that are invested in all',
  fdv: "Fully diluted valuation: lovelace that the whole supply costs at the investors' price",
  reserveRequired: 'Lovelace that must be invested',
  lpLovelace: 'Lovelace of the liquidity share',
  lpFt: 'Base units of the liquidity share',
  contributorsLovelace: 'Lovelace to all contributors',
};

const hours = (seconds: number) => `${seconds / 3600}h`;
const between = ({ min, max }: DurationBound) =>
  `${hours(min)} to ${hours(max)}, unless the deployment sets other bounds`;
const usual = defaultPhaseDurations(defaultDurationBounds);
const form = 'As `DD:HH:MM` (`03:00:00` is three days) or `72h`; ';

/** What lasts this long in a vault that names no durations. */
export const defaultDurationText = {
  voting: hours(usual.voting),
  lock: hours(usual.lock),
  execution: hours(usual.execution),
};

/** Defaults and bounds of the durations of a request. */
export const durationTexts = {
  assetWindow: `${form}${between(defaultDurationBounds.assetWindow)}; 7 days unless said, or as long as the investment window where that ends earlier`,
  investmentWindow: `${form}${between(defaultDurationBounds.investmentWindow)}; it must not end before the asset window`,
  voting: `${form}${between(defaultDurationBounds.voting)}; ${hours(usual.voting)} unless said`,
  lock: `Between the vote and its execution, while proposer or admin may still cancel. ${form}${between(defaultDurationBounds.lock)}; ${hours(usual.lock)} unless said`,
  execution: `${form}${between(defaultDurationBounds.execution)}; ${hours(usual.execution)} unless said`,
};
