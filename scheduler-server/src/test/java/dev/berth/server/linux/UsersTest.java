package dev.berth.server.linux;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.job.Submitter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The user database of the machine on which the tests run. */
class UsersTest {
    private final Users users = new Users();

    @Test
    void rootIsFoundEverywhere() {
        Submitter root = users.find("root").orElseThrow();
        assertThat(root.uid()).isZero();
        assertThat(root.gid()).isZero();
        assertThat(root.name()).isEqualTo("root");
        assertThat(root.groups()).doesNotContain(0L);
    }

    @Test
    void whoRunsTheTestsIsFoundWithTheGroupsOfTheDatabase() throws Exception {
        UnixSystem me = new UnixSystem();
        Submitter found = users.find(me.getUsername()).orElseThrow();
        assertThat(found.uid()).isEqualTo(me.getUid());
        assertThat(found.gid()).isEqualTo(me.getGid());
        Process id = new ProcessBuilder("id", "-G", me.getUsername()).start();
        List<Long> groups;
        try (var lines = id.inputReader(StandardCharsets.UTF_8)) {
            groups = Arrays.stream(lines.readLine().split(" "))
                    .map(Long::valueOf)
                    .toList();
        }
        assertThat(LongStream.concat(
                                LongStream.of(found.gid()),
                                found.groups().stream().mapToLong(Long::longValue))
                        .boxed())
                .containsExactlyInAnyOrderElementsOf(groups);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-user-here", "", "root:x", "4294967294", "\u00fc", "a b"})
    void whoIsNotThereIsNotFound(String name) {
        assertThat(users.find(name)).isEmpty();
    }

    @Test
    void manyAskAtOnce() {
        assertThat(LongStream.range(0, 200)
                        .parallel()
                        .mapToObj(_ -> users.find("root").orElseThrow().uid()))
                .hasSize(200)
                .containsOnly(0L);
    }
}
