export { default } from "../_not-found.tsx";
