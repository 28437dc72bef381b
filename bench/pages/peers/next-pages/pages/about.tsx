export const getServerSideProps = () => ({ props: {} });

export { About as default } from "../shared/pages";
