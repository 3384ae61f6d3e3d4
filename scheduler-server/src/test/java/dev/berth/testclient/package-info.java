/** The HTTP client of the tests and a receiver of notices, for those of the server and those of the built distribution. */
@NullMarked
package dev.berth.testclient;

import org.jspecify.annotations.NullMarked;
