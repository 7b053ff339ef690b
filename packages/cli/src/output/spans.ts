export { span } from '@locks/ui/text';
