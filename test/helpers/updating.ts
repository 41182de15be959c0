/** Set by `UPDATE_GOLDEN=1`: what is derived is written again instead of compared. */
export const updating = process.env['UPDATE_GOLDEN'] === '1';
