@NullMarked
package dev.berth.server.retention;

import org.jspecify.annotations.NullMarked;
