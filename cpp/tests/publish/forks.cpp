// Forks by the C library's own call: what a child inherits is void there, and does not keep the parent's locks alive.
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "check.hpp"
#include "make.hpp"
#include "publish/files.hpp"

using namespace skinproof::publish;

namespace {

const Shape kShape{3, 3, 1, 4, 64};

std::string fresh_name(const char* of) { return std::string("core-test-") + of + "-" + std::to_string(getpid()); }

pid_t bare_clone() { return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr)); }

// Forks; the child does its work and ends with its result.
template <class Work>
int in_a_child(Work work, pid_t (*fork_it)() = fork) {
    const pid_t child = fork_it();
    if (child == 0) _exit(work());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// An owner dies while a child that it forked lives on.
void locks_end_with_the_owner() {
    const std::string name = fresh_name("locks");
    int grandchild_of[2];
    CHECK(pipe(grandchild_of) == 0);
    const pid_t dying = fork();
    if (dying == 0) {
        const auto backing = create_segment(name, kShape, kNoGroup);
        const Owner owner(backing, make::topology(2), make::palette({1, 2}), Revision{5, 0});
        if (fork() == 0) {
            // From here on it holds no lock: what closes its descriptors has run before fork returns in it.
            const pid_t grandchild = getpid();
            if (write(grandchild_of[1], &grandchild, sizeof grandchild) == sizeof grandchild) sleep(30);
            _exit(0);
        }
        kill(getpid(), SIGKILL);
    }
    close(grandchild_of[1]);
    waitpid(dying, nullptr, 0);
    pid_t grandchild = 0;
    CHECK(read(grandchild_of[0], &grandchild, sizeof grandchild) == sizeof grandchild);
    CHECK(kill(grandchild, 0) == 0);
    try {
        const auto backing = recover_segment(name);
        const Owner heir(backing);
        CHECK(heir.requested() == (Revision{5, 0}));
        backing->close();
    } catch (const SegmentFailure& failure) {
        std::printf("%s\n", failure.what());
        CHECK(false);
        kill(grandchild, SIGKILL);
        usleep(100000);
        remove_segment(name);
    }
    kill(grandchild, SIGKILL);
}

// What the child's destructors do, with numbers that may be other files' by then, touches nothing.
void a_child_ends_nothing_of_its_parent() {
    const std::string name = fresh_name("ends");
    auto backing = create_segment(name, kShape, kNoGroup);
    auto owner = std::make_unique<Owner>(backing, make::topology(2), make::palette({1, 2}), Revision{0, 0});
    auto attachment = std::make_unique<Attachment>(backing, 0);
    Hold hold;
    CHECK(attachment->acquire(hold) == Acquired::kHeld);
    const int left = in_a_child([&] {
        int pair[2];
        if (pipe(pair) != 0 || backing->alive()) return 1;  // takes the numbers of what the fork closed
        Hold none;
        if (attachment->acquire(none) != Acquired::kForked) return 2;
        attachment->release(hold);
        backing->close();
        owner.reset();
        attachment.reset();
        backing.reset();
        const char byte = 7;
        char back = 0;
        if (write(pair[1], &byte, 1) != 1 || read(pair[0], &back, 1) != 1 || back != byte) return 3;
        return 0;
    });
    CHECK(left == 0);
    const SegmentStatistics all = segment_statistics(name);
    CHECK(all.owner_alive && all.state == SKINPROOF_STATE_READY && all.cells_in_use == 1);
    attachment->release(hold);
    backing->close();
}

// Whether a page that is to be wiped in a child is. Emulators say yes to madvise and do nothing.
bool pages_are_wiped() {
    void* const page = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    volatile char& byte = *static_cast<char*>(page);
    byte = 1;
    const bool wiped = madvise(page, 1, MADV_WIPEONFORK) == 0 && in_a_child([&] { return int{byte}; }, bare_clone) == 0;
    munmap(page, 1);
    return wiped;
}

// The bare system call passes the C library and its handlers by: the wiped page alone tells.
void a_bare_clone_has_nothing() {
    if (!pages_are_wiped()) {
        std::printf("not tried: a child of the bare clone system call (no page is wiped here: an emulator?)\n");
        return;
    }
    const std::string name = fresh_name("bare");
    const auto backing = create_segment(name, kShape, kNoGroup);
    const Owner owner(backing, make::topology(2), make::palette({1, 2}), Revision{0, 0});
    Attachment attachment(backing, 0);
    Hold hold;
    CHECK(attachment.acquire(hold) == Acquired::kHeld);
    const int left = in_a_child([&] {
        Hold none;
        if (backing->alive() || attachment.acquire(none) != Acquired::kForked) return 1;
        attachment.release(hold);
        backing->close();
        return 0;
    }, bare_clone);
    CHECK(left == 0);
    const SegmentStatistics all = segment_statistics(name);
    CHECK(all.state == SKINPROOF_STATE_READY && all.cells_in_use == 1);
    attachment.release(hold);
    backing->close();
}

// A child may own segments itself, and so may its children.
void a_child_starts_anew() {
    const std::string name = fresh_name("anew");
    const auto backing = create_segment(name, kShape, kNoGroup);
    const Owner owner(backing, make::topology(2), make::palette({1, 2}), Revision{0, 0});
    const int result = in_a_child([&] {
        const Attached own = attach_segment(name);
        Attachment attachment(own.backing, own.row);
        Hold hold;
        if (attachment.acquire(hold) != Acquired::kHeld || own.backing->segment().palette(hold.slot)[3] != 1) return 1;
        const int below = in_a_child([&] { return own.backing->alive() ? 1 : 0; });
        if (below != 0) return 2;
        return segment_statistics(name).rows_in_use == 2 ? 0 : 3;
    });
    CHECK(result == 0);
    backing->close();
}

}  // namespace

int main() {
    locks_end_with_the_owner();
    a_child_ends_nothing_of_its_parent();
    a_bare_clone_has_nothing();
    a_child_starts_anew();
    return report();
}
