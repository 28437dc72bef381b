/** Key in `localStorage` of what earlier visits of this browser have left. Absent if there is nothing. */
export const returnKey = "holdfast-return";
