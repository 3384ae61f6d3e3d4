/** The HTTP client of the tests, for those of the server and those of the built distribution. */
@NullMarked
package dev.berth.testclient;

import org.jspecify.annotations.NullMarked;
