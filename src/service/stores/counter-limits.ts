// So many values of one tag are counted by name; a tag with more, such as an order number, tells nothing by its values.
export const valuesPerTag = 100;

// An issue is found by its first text and by so many others that its events brought: messages and routes,
export const textsPerGroup = 10;

// and stacks, which are few, since those that differ are seldom one issue.
export const stacksPerGroup = 20;

// A large application has some hundred built files; more come only from somebody who makes them up.
export const chunksPerRelease = 500;

// So many visitors are counted exactly, one small row each; beyond it, one kilobyte counts them within some per cent.
export const visitorsCountedExactly = 1_000;
