/**
 * Parts of Linux that Java has no words for: system calls, descriptors that stand for files without opening them, and
 * threads with another user's rights. What is done with them is decided elsewhere.
 */
@NullMarked
package dev.berth.server.linux;

import org.jspecify.annotations.NullMarked;
