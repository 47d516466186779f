// The default theme with this project's colours and the parts of its home page.

import DefaultTheme from 'vitepress/theme';
import './style.css';

export default DefaultTheme;
