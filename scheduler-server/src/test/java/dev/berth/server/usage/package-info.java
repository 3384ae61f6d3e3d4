@NullMarked
package dev.berth.server.usage;

import org.jspecify.annotations.NullMarked;
