package dev.berth.cli.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkRuleTest {
    @TempDir
    private Path outside;

    private Project project;

    @BeforeEach
    void make() throws IOException {
        project = Project.in(outside);
    }

    @ParameterizedTest
    @CsvSource({"a, x", "b/l, ../a", "b/l, ./../b/../a", "l, b", "l, dangling", "l, .", "b/l, ../b/up/a", "l, l"})
    void aLinkThatStaysWithinIsKept(String name, String target) throws IOException {
        project.write("x", "");
        project.write("b/y", "");
        if (target.contains("up")) {
            project.link("b/up", "..");
        }
        project.link(name, target);
        assertThat(project.plan().entries()).contains(new DirectoryEntry.SymbolicLink(name, target));
    }

    @ParameterizedTest
    @CsvSource({
        "l, ..",
        "l, ../project/x",
        "l, b/../../project",
        "b/l, ../../x",
        "l, /etc/passwd",
        "b/l, ../self/../x",
        "l, here/../x",
        "l, dangling/../../x",
    })
    void aLinkThatLeadsOutIsRefused(String name, String target) throws IOException {
        project.write("x", "");
        project.write("b/y", "");
        project.link("self", ".");
        project.link("here", "b/..");
        project.link(name, target);
        project.assertRefused().hasMessageContaining(project.path().resolve(name) + " is a symbolic link to " + target);
    }

    @Test
    void anAbsoluteLinkIsRefusedAlsoWhereItLeadsInside() throws IOException {
        project.link("l", project.write("x", "").toString());
        project.assertRefused().hasMessageContaining("which is an absolute path");
    }

    @Test
    void aLinkOverAnAbsoluteLinkIsRefused() throws IOException {
        // The first one is refused already; that the second one is too is what this test is about.
        project.link("z", "/etc");
        assertThat(LinkRule.staysWithin(
                        project.path().toRealPath(), project.path().toRealPath(), Path.of("z/passwd")))
                .isFalse();
    }
}
