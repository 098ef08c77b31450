export type ValuationMethod = 'floor_price' | 'dex_price' | 'custom';
