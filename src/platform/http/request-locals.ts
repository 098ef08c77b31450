import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { Authentication } from '../../access/authentication.ts';
import type { VersionSupport } from '../../versions/rules.ts';

/** Data that the middleware of a request passes on. A type, because express requires an index signature. */
export type RequestLocals = {
  correlationId: string;
  authentication?: Authentication;
  /** Records a session that the response gives to the caller. */
  recordSession?: (token: string) => void;
  /** The methods of the paths that match the request. */
  allowed?: readonly string[];
  /** Of the route that handles the request. */
  operationId?: string;
  /** The supported version of the API that its path names. */
  version?: string;
  /** Of the version that its path names; null when it names none. */
  versionSupport?: VersionSupport | null;
  /** Template of its whole path, for metrics. */
  route?: string;
};

type Parameters = Record<string, string | string[]>;

export type Handler = RequestHandler<Parameters, unknown, unknown, unknown, RequestLocals>;
export type ErrorHandler = ErrorRequestHandler<Parameters, unknown, unknown, unknown, RequestLocals>;
export type LocalResponse = Response<unknown, RequestLocals>;
