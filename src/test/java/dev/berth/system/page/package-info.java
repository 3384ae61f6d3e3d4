/** The page in a real browser: a server of its own for each class of tests, and how the page is measured and pictured. */
@NullMarked
package dev.berth.system.page;

import org.jspecify.annotations.NullMarked;
