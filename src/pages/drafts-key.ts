/** Key of the drafts in the tab's `sessionStorage`. It has a file of its own for the code that only erases drafts. */
export const draftsKey = "holdfast-drafts";
