package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Submitter;
import java.util.List;
import org.junit.jupiter.api.Test;

class UserDatabaseTest {
    private static final Submitter ADA = new Submitter(1000, 100, List.of(27L, 100L, 4_294_967_294L), "ada");
    private static final Submitter ROOT = new Submitter(0, 0, List.of(4L), "root");

    @Test
    void aContainerKnowsItsUser() {
        assertThat(UserDatabase.passwd(ADA)).isEqualTo("""
                root:x:0:0:root:/root:/bin/sh
                daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
                nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
                ada:x:1000:100::/home/ada:/bin/sh
                """);
    }

    @Test
    void aContainerKnowsTheGroupsOfItsUserOnceEach() {
        assertThat(UserDatabase.group(ADA)).isEqualTo("""
                root:x:0:
                daemon:x:1:
                nogroup:x:65534:
                ada:x:100:
                g27:x:27:ada
                g4294967294:x:4294967294:ada
                """);
    }

    @Test
    void rootStandsThereOnce() {
        assertThat(UserDatabase.passwd(ROOT).lines().filter(line -> line.startsWith("root:")))
                .containsExactly("root:x:0:0:root:/root:/bin/sh");
        assertThat(UserDatabase.group(ROOT)).isEqualTo("""
                root:x:0:
                daemon:x:1:
                nogroup:x:65534:
                """);
        assertThat(UserDatabase.home(ROOT)).isEqualTo("/root");
        assertThat(UserDatabase.home(ADA)).isEqualTo("/home/ada");
    }
}
