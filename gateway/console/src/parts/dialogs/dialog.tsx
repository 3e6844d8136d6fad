import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icons.tsx';

interface DialogProps {
  readonly title: string;
  /** Absent: the dialog cannot be closed without an answer. */
  readonly onClose?: () => void;
  /** A press beside the dialog closes it too; not where something would be lost. */
  readonly isLight?: boolean;
  readonly children: ComponentChildren;
}

/** The element itself keeps the focus inside, closes on Escape, and gives the focus back. */
export function Dialog({ title, onClose, isLight = true, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const isLeaving = useRef(false);
  // At once: what is pressed next is meant for the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // The first field if there is one, and not the button that closes.
    dialog?.querySelector<HTMLElement>('input:not([hidden]), select')?.focus();
    return () => {
      // The dialog that replaces it must not receive its close event.
      isLeaving.current = true;
      dialog?.close();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onClose={() => {
        if (isLeaving.current) return;
        // Browsers close a dialog at the second Escape, even if the page has prevented the first.
        if (onClose === undefined) element.current?.showModal();
        else onClose();
      }}
      onCancel={(event) => {
        // By default the element returns the focus now and fires `close` later. A key press in between would
        // be lost.
        event.preventDefault();
        if (isLight) onClose?.();
      }}
      onClick={(event) => isLight && event.target === element.current && onClose?.()}
    >
      <div class="dialog-card">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          {onClose !== undefined && (
            <button
              type="button"
              class="button button-quiet button-icon"
              onClick={onClose}
              aria-label="Close"
            >
              <Icon name="close" />
            </button>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}
