import type { RequestHandler } from 'express';
import { vaultPicture } from '../../cardano/tokens/picture.ts';

export const vaultPicturePath = '/images/vault.svg';

/** The picture that the metadata of every vault's NFT pins, unless the deployment has one of its own. */
export const serveVaultPicture: RequestHandler = (_req, res) => {
  res.set('cache-control', 'public, max-age=86400').type('image/svg+xml').send(vaultPicture);
};
