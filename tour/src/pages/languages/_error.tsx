export { default } from "../_error.tsx";
