export { printable } from '@locks/ui/text';
