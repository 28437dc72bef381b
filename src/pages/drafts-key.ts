/** Key of the drafts in the tab's `sessionStorage`. A file of its own: the code that erases drafts needs nothing else. */
export const draftsKey = "holdfast-drafts";
