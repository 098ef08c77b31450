import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { Authentication } from '../../auth/authentication.ts';

/** What the middleware of one request tells the next. A type, because express asks for an index signature. */
export type RequestLocals = {
  correlationId: string;
  authentication?: Authentication;
  /** Of the route that was found. */
  operationId?: string;
  /** Template of its whole path. */
  route?: string;
};

type Parameters = Record<string, string | string[]>;

export type Handler = RequestHandler<Parameters, unknown, unknown, unknown, RequestLocals>;
export type ErrorHandler = ErrorRequestHandler<Parameters, unknown, unknown, unknown, RequestLocals>;
export type LocalResponse = Response<unknown, RequestLocals>;
