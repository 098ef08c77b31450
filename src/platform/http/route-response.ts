import { compressed } from './compressed.ts';
import { type SentBody, sentBody } from './conditional.ts';
import type { Validity } from './kept-bodies.ts';

/** The response of an operation: its HTTP status, and its body as it is sent. */
export interface RouteResponse<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token of a session that the response gives to the caller. */
  readonly issuedSession?: string;
  /** `body` as it is sent, for a body that never changes. */
  readonly sent?: SentBody;
  /** How long a read may be answered with it again; absent: it may not. */
  readonly validity?: Validity;
  readonly personalDataOf?: SentBody['personalDataOf'];
}

export const ok = <const Body>(body: Body): RouteResponse<200, Body> => ({ status: 200, body });
/** Every response with this body is the same: it is serialized and compressed now, and not again. */
export const constant = <const Body>(body: Body): RouteResponse<200, Body> => {
  const sent = sentBody(body);
  return { ...ok(body), sent: { ...sent, compressed: compressed(sent.text) } };
};
/** A read that returns the same body until something changes. */
export const validWhile = <const Body>(validity: Validity, body: Body): RouteResponse<200, Body> => ({
  ...ok(body),
  validity,
});
export const created = <const Body>(body: Body): RouteResponse<201, Body> => ({ status: 201, body });
export const noContent = (): RouteResponse<204, undefined> => ({ status: 204, body: undefined });
