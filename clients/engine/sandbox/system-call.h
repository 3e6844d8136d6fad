/*
 * What a program without a C library needs: system calls, its entry, and a little text.
 *
 * There is no libc so that the program is a few kilobytes, starts in microseconds, and does nothing that is not written
 * here. Registers of a system call: syscall(2), "Architecture calling conventions".
 */
#ifndef SYSTEM_CALL_H
#define SYSTEM_CALL_H

#include <asm/unistd.h>

typedef unsigned long word;

#if defined(__x86_64__)
#define ARCHITECTURE_ENTRY "mov %rsp, %rdi\n and $-16, %rsp\n call run\n"

static inline long system_call(long number, word a, word b, word c, word d, word e, word f) {
  long result;
  register word fourth __asm__("r10") = d;
  register word fifth __asm__("r8") = e;
  register word sixth __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
#define ARCHITECTURE_ENTRY "mov x0, sp\n bl run\n"

static inline long system_call(long number, word a, word b, word c, word d, word e, word f) {
  register long call __asm__("x8") = number;
  register word first __asm__("x0") = a;
  register word second __asm__("x1") = b;
  register word third __asm__("x2") = c;
  register word fourth __asm__("x3") = d;
  register word fifth __asm__("x4") = e;
  register word sixth __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(first)
                   : "r"(call), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "memory");
  return (long)first;
}
#else
#error "there is no launcher for this architecture"
#endif

/* Missing arguments are 0. A negative result is the error's number. */
#define CALL(...) CALL_WITH(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_WITH(number, a, b, c, d, e, f, ...) \
  system_call((number), (word)(a), (word)(b), (word)(c), (word)(d), (word)(e), (word)(f))

/* The kernel leaves the number of arguments, the arguments and the environment on the stack: execve(2). */
__attribute__((used)) _Noreturn void run(word *stack);
#ifdef WITH_C_LIBRARY
int main(int count, char **arguments) {
  (void)count;
  run((word *)arguments - 1);
}
#else
__asm__(".globl _start\n_start:\n " ARCHITECTURE_ENTRY);
#endif

static _Noreturn inline void quit(int code) {
  for (;;) CALL(__NR_exit_group, code);
}

static inline word length_of(const char *text) {
  word length = 0;
  while (text[length] != 0) length++;
  return length;
}

static inline int is_same(const char *text, const char *other) {
  while (*text != 0 && *text == *other) text++, other++;
  return *text == *other;
}

/* What follows `prefix`; null where the text does not begin with it. */
static inline const char *after(const char *text, const char *prefix) {
  while (*prefix != 0)
    if (*text++ != *prefix++) return 0;
  return text;
}

/* The decimal number that the text begins with; the text is moved behind it. */
static inline unsigned long long take_number(const char **text) {
  unsigned long long number = 0;
  while (**text >= '0' && **text <= '9') number = number * 10 + (unsigned)(*(*text)++ - '0');
  return number;
}

static inline void print(int descriptor, const char *text) {
  CALL(__NR_write, descriptor, text, length_of(text));
}

static inline void print_number(int descriptor, unsigned long number) {
  char digits[24];
  char *first = digits + sizeof digits - 1;
  *first = 0;
  do *--first = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  print(descriptor, first);
}

#endif
